int aprx_absent_function();
int aprx_absent_function() { return 1; }
