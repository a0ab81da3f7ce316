"""What agents and scorers act with: the protocol of a tool here, each tool in a module of its own.

Importing this package is light.
"""

from masrepro.tools.tool import MissingExtra, Tool, ToolFailure, ToolResult

__all__ = ["MissingExtra", "Tool", "ToolFailure", "ToolResult"]
