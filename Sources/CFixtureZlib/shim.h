#pragma once
#include <zlib.h>

/* What Swift cannot call itself: zlib's initializers are macros. */

/* inflateInit2, which adds the version and size of the header this was compiled with. */
static inline int fixture_zlib_inflate_init(z_stream *stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

/* deflateInit2 with the default memory level and strategy; adds the same. */
static inline int fixture_zlib_deflate_init(z_stream *stream, int level, int window_bits) {
  return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
