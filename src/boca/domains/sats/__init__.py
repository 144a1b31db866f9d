"""The four spectrum value models GSVM, LSVM, SRVM and MRVM."""
