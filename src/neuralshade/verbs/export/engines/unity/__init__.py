"""Unity: functions for Shader Graph's Custom Function node, and nodes by reflection."""
