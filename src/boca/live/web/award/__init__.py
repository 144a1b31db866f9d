"""The award report: one value with all that a reader may know, drawn as page, PDF and XLSX."""
