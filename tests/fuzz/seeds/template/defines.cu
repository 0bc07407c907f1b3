// kgen:begin
#define A 12345 // why
#define B(x) \
  (x) \
  + 1
// kgen:end
#include "nested.h"
#include "none.h"
