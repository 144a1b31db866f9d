"""From stored runs to tables, pages and figures."""
