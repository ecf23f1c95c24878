"""Know that selection helped, and by how much: banks, measures, comparison, calibration."""
