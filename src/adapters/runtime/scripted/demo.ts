import type { Scenario } from './contract.ts'

const poem = `River finds the sea,
carrying the hills in sand,
never once the same.
`

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Rivers</title>
    <link rel="stylesheet" href="style.css" />
  </head>
  <body>
    <pre>${poem}</pre>
    <p>Written by a simulated agent.</p>
  </body>
</html>
`

const style = `body {
  display: grid;
  place-content: center;
  min-height: 100vh;
  font: 1.5rem/1.8 Georgia, serif;
}
`

/**
 * The demonstration for new users. The first attempt forgets the page and still reports "done"; the evidence fails, and
 * the second attempt corrects it: this is the purpose of Agency. The waits let people follow it.
 */
export const demoScenario: Scenario = {
  name: 'demo',
  attempts: [
    [
      { say: 'I am a simulated agent: no model is called, and my texts were written in advance.' },
      { log: 'Reading the brief: a haiku about rivers, and a page that shows it' },
      { wait: { ms: 1_800 } },
      { log: 'Counting syllables: five, seven, five' },
      { usage: { input_tokens: 1_850, output_tokens: 240 } },
      { wait: { ms: 1_800 } },
      { write: { path: 'poem.txt', text: poem } },
      { log: 'Wrote poem.txt' },
      { wait: { ms: 1_800 } },
      { write: { path: 'style.css', text: style } },
      { log: 'Wrote style.css for the page' },
      { usage: { input_tokens: 2_300, output_tokens: 410 } },
      { wait: { ms: 1_800 } },
      { log: 'That should be all' },
      {
        report: {
          status: 'done',
          summary: 'The haiku is written, and there is a page that shows it.',
          outputs: ['poem.txt', 'style.css'],
          via: 'http',
        },
      },
    ],
    [
      { say: 'I am a simulated agent. The attempt before me reported “done” and had forgotten a file.' },
      { log: 'Reading the failed evidence of the last attempt: index.html is missing' },
      { wait: { ms: 2_000 } },
      // Every file again: an interrupted attempt may have left any of them unwritten.
      { write: { path: 'poem.txt', text: poem } },
      { write: { path: 'style.css', text: style } },
      { write: { path: 'index.html', text: page } },
      { log: 'Wrote index.html: it shows the poem' },
      { usage: { input_tokens: 2_100, output_tokens: 130 } },
      { wait: { ms: 2_000 } },
      { log: 'Checking again: poem, page and style exist' },
      { wait: { ms: 1_800 } },
      {
        report: {
          status: 'done',
          summary: 'Added the missing index.html; the page shows the haiku.',
          outputs: ['poem.txt', 'index.html', 'style.css'],
          via: 'http',
        },
      },
    ],
  ],
}
