a = 1;
// kgen:begin
constexpr int A = 1;   // why
using B = int;
// kgen:end
#include "good.h"
int NAME_x;
