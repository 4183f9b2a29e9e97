#pragma once
// png.h and turbojpeg.h use size_t and FILE without including what declares them.
#include <stddef.h>
#include <stdio.h>
#include <png.h>
#include <turbojpeg.h>
#include <webp/decode.h>
#include <webp/encode.h>
