"""What agents and scorers act with. Importing this package is light."""
