#pragma once
// mallopt(3) is not in Swift's Glibc module.
#include <malloc.h>
