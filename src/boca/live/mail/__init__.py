"""Telling people by e-mail: what there is to tell, and a postman out of everybody's way."""
