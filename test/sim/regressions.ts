/**
 * Seeds that once broke an invariant, because of a fault of the product or of a check. A seed repeats its world only
 * while the worlds stay the same; `isPlain` leaves out the kinds of faults that were added after it was found, and
 * `workers` is the number of processes on the store.
 */
export const regressions = [
  {
    playbook: 'direct',
    isPlain: true,
    withGit: false,
    workers: 1,
    seeds: [
      554_030_012, 600_091, 600_512, 637_810_467, 674_667_747, 674_668_094, 755_852_566, 755_853_429, 755_853_457,
      993_454_903,
    ],
  },
  {
    playbook: 'tiered',
    isPlain: false,
    withGit: false,
    workers: 1,
    seeds: [502_355_192, 502_356_275, 862_303_239, 949_708_074, 949_711_565],
  },
  { playbook: 'tiered', isPlain: true, withGit: false, workers: 1, seeds: [500_057, 600_476, 743_012_622] },
  {
    playbook: 'direct',
    isPlain: false,
    withGit: false,
    workers: 1,
    seeds: [
      6, 5_309, 5_343, 587_890_120, 90_217_971, 61_840_333, 668_141_168, 668_141_289, 804_174_066, 904_327_308,
      547_822_711, 33_986_300,
    ],
  },
  {
    playbook: 'direct',
    isPlain: false,
    withGit: 'memory',
    workers: 1,
    seeds: [
      25, 64, 81, 130, 18_888_187, 18_888_451, 18_888_500, 18_889_364, 478_490_770, 478_490_948, 478_491_078,
      240_700_350, 240_701_119,
    ],
  },
  {
    playbook: 'direct',
    isPlain: false,
    withGit: false,
    workers: 2,
    seeds: [
      84, 101, 204, 207, 394, 30_387, 215_048_251, 195_243_918, 195_244_217, 878_337_992, 547_824_815, 547_829_192,
    ],
  },
] as const
