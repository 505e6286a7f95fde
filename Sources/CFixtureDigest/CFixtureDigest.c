#include "CFixtureDigest.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

/* SHA and what else `compress` uses: SSSE3 (bit 9) and SSE4.1 (bit 19). */
static int has_instructions(void) {
  unsigned int a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 9)) || !(c & (1u << 19))) return 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29));
}

/* Each instruction for two rounds takes the words as a, b, e, f and c, d, g, h, first word highest,
   and gives the new a, b, e, f; the old ones are the new c, d, g, h. */
__attribute__((target("sha,sse4.1,ssse3")))
static void compress(
    uint32_t *state, const uint32_t *constants, const uint8_t *block, size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i *words = (__m128i *)state;
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);

  for (; count > 0; count--, block += 64) {
    const __m128i former_abef = abef, former_cdgh = cdgh;
    __m128i schedule[4];
#pragma clang loop unroll(full)
    for (int group = 0; group < 16; group++) {
      __m128i *now = &schedule[group & 3];
      if (group < 4) {
        const __m128i input = _mm_loadu_si128((const __m128i *)block + group);
        *now = _mm_shuffle_epi8(input, big_endian);
      } else {
        const __m128i before1 = schedule[(group - 1) & 3];
        const __m128i before2 = schedule[(group - 2) & 3];
        const __m128i part = _mm_sha256msg1_epu32(*now, schedule[(group - 3) & 3]);
        *now = _mm_sha256msg2_epu32(
            _mm_add_epi32(part, _mm_alignr_epi8(before1, before2, 4)), before1);
      }
      const __m128i constant = _mm_loadu_si128((const __m128i *)constants + group);
      const __m128i added = _mm_add_epi32(*now, constant);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0E));
    }
    abef = _mm_add_epi32(abef, former_abef);
    cdgh = _mm_add_epi32(cdgh, former_cdgh);
  }

  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

int fixture_sha256_compress(
    uint32_t *state, const uint32_t *constants, const void *blocks, size_t count) {
  /* 0: not asked yet; whoever asks at the same time finds the same. */
  static atomic_int answer;
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == 0) {
    known = has_instructions() ? 1 : -1;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  if (known < 0) return 0;
  compress(state, constants, blocks, count);
  return 1;
}

#else

int fixture_sha256_compress(
    uint32_t *state, const uint32_t *constants, const void *blocks, size_t count) {
  (void)state, (void)constants, (void)blocks, (void)count;
  return 0;
}

#endif
