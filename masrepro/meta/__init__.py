"""Language models that design, staff and repair multi-agent systems."""
