"""Everything with HTTP: pages that people use, the JSON API, the stream of changes."""
