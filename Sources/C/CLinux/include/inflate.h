#ifndef NATTER_INFLATE_H
#define NATTER_INFLATE_H

/* The decompression of gzip data (RFC 1952) by libz, which is loaded at the first use: no build
   needs its header, and a system without it lacks only what needs this. */

struct natter_inflater;
/* Returns NULL if the library is missing, or there is no memory. */
struct natter_inflater *natter_inflater_new(void);
void natter_inflater_free(struct natter_inflater *inflater);

enum natter_inflated { NATTER_INFLATE_GOES_ON, NATTER_INFLATE_ENDED, NATTER_INFLATE_DAMAGED };

/* Reads at most `count` bytes of `bytes` and writes at most `capacity` bytes to `result`.
   Stores how many were read in `*used`, and how many were written in `*written`. If both are 0, it
   needs more bytes or more room. Returns NATTER_INFLATE_ENDED after the last byte of the data, whose
   checksum is then correct. */
enum natter_inflated natter_inflate(
    struct natter_inflater *inflater, const unsigned char *bytes, unsigned int count, unsigned int *used,
    unsigned char *result, unsigned int capacity, unsigned int *written);
#endif
