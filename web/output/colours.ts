/** The sixteen colours that are readable in both themes; the other 240 of xterm's 256 are a colour cube and greys. */
const sixteen: readonly (readonly [red: number, green: number, blue: number])[] = [
  [0, 0, 0],
  [205, 49, 49],
  [13, 188, 121],
  [229, 229, 16],
  [36, 114, 200],
  [188, 63, 188],
  [17, 168, 205],
  [229, 229, 229],
  [102, 102, 102],
  [241, 76, 76],
  [35, 209, 139],
  [245, 245, 67],
  [59, 142, 234],
  [214, 112, 214],
  [41, 184, 219],
  [255, 255, 255],
]

/**
 * Maps a colour to the nearest of sixteen. The shades that an agent chooses would be unreadable in one of the two themes,
 * or intentionally in both.
 */
export function nearestOfSixteen(mode: 'palette' | 'rgb', value: number): number {
  if (mode === 'palette' && value < 16) return value
  const [red, green, blue] = mode === 'rgb' ? parts(value) : paletteColour(value)
  let best = 0
  let distance = Infinity
  sixteen.forEach(([r, g, b], index) => {
    const away = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2
    if (away < distance) [best, distance] = [index, away]
  })
  return best
}

const parts = (value: number): [number, number, number] => [(value >> 16) & 255, (value >> 8) & 255, value & 255]

/** Computes a colour of xterm's table: 16 to 231 are a cube of six steps, the rest greys. */
function paletteColour(value: number): [number, number, number] {
  if (value >= 232) {
    const grey = 8 + (value - 232) * 10
    return [grey, grey, grey]
  }
  const step = (at: number): number => (at === 0 ? 0 : 55 + at * 40)
  const at = value - 16
  return [step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6)]
}
