#include "inflate.h"

#include "library.h"
#include <stdlib.h>

/* `z_stream` and the constants of <zlib.h>, which have been the same since zlib 1.0. */
struct stream {
  const unsigned char *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *(*allocate)(void *, unsigned int, unsigned int);
  void (*release)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
};
enum { Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5, Z_NO_FLUSH = 0 };
/* The largest window, and 16 for data with gzip's header. */
enum { WINDOW_BITS = 15 + 16 };

#define NONE(F)
#define OTHERS(F) \
  F(int, inflateInit2_, (struct stream *s, int window_bits, const char *version, int size), ) \
  F(int, inflate, (struct stream *s, int flush), ) \
  F(int, inflateEnd, (struct stream *s), )

NATTER_LIBRARY("libz.so.1", NONE, OTHERS)

struct natter_inflater {
  struct stream stream;
};

struct natter_inflater *natter_inflater_new(void) {
  if (!library_handle()) return NULL;
  struct natter_inflater *inflater = calloc(1, sizeof *inflater);
  if (!inflater) return NULL;
  /* Only the first digit of the version and the size are compared. */
  if (library.inflateInit2_(&inflater->stream, WINDOW_BITS, "1.2.0", sizeof inflater->stream) != Z_OK) {
    free(inflater);
    return NULL;
  }
  return inflater;
}

void natter_inflater_free(struct natter_inflater *inflater) {
  library.inflateEnd(&inflater->stream);
  free(inflater);
}

enum natter_inflated natter_inflate(
    struct natter_inflater *inflater, const unsigned char *bytes, unsigned int count, unsigned int *used,
    unsigned char *result, unsigned int capacity, unsigned int *written) {
  struct stream *stream = &inflater->stream;
  stream->next_in = bytes;
  stream->avail_in = count;
  stream->next_out = result;
  stream->avail_out = capacity;
  int code = library.inflate(stream, Z_NO_FLUSH);
  *used = count - stream->avail_in;
  *written = capacity - stream->avail_out;
  switch (code) {
    case Z_STREAM_END: return NATTER_INFLATE_ENDED;
    case Z_OK:
    case Z_BUF_ERROR: return NATTER_INFLATE_GOES_ON;
    default: return NATTER_INFLATE_DAMAGED;
  }
}
