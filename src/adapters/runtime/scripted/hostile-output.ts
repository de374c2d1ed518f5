/** Output that no agent should print, and that some agent will print one day. */
const garbage: readonly Buffer[] = [
  '{"type":"usage","input_tokens":"many","output_tokens":null}',
  '{"type":"text"',
  '{"type":"report"}}',
  '{"type":"__proto__","text":1}',
  '[1,2,3',
  'null',
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b[2J',
  'nul \u0000 bell \u0007 backspace \b',
  '',
  '   ',
  '\u202eright to left',
  '{"type":"text","text":"\\ud800 half a pair"}',
]
  .map((line) => Buffer.from(line))
  .concat(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xf0, 0x9f, 0x92]))

export const garbageLine = (number: number): Buffer => garbage[number % garbage.length] ?? Buffer.alloc(0)

export const floodLine = 'All work and no play makes a log file that nobody will ever read. '
  .repeat(15)
  .padEnd(1_023, '.')
