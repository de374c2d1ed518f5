import type { Evidence } from '../../../work/evidence/contract.ts'
import type { Scenario } from './contract.ts'

/**
 * The mission that a newcomer watches. Its first attempt forgets the style sheet and reports "done" all the same;
 * the evidence fails, and the second attempt mends it: that is what Agency is for.
 */
export const demoGoal =
  'Make a small field guide to three rivers: index.html with its own style.css, and the facts in rivers.json'

export const demoEvidence: Evidence[] = [
  { kind: 'file', path: 'rivers.json', contains: '"Danube"', minBytes: 1 },
  { kind: 'file', path: 'index.html', contains: '<h1>', minBytes: 200 },
  { kind: 'command', run: 'grep -q style.css index.html && test -s style.css', expectExit: 0, timeoutSeconds: 10 },
]

const rivers = [
  { name: 'Danube', length_km: 2850, from: 'Black Forest', to: 'Black Sea' },
  { name: 'Loire', length_km: 1006, from: 'Massif Central', to: 'Atlantic Ocean' },
  { name: 'Tagus', length_km: 1007, from: 'Albarracín mountains', to: 'Atlantic Ocean' },
]

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Three rivers</title>
    <link rel="stylesheet" href="style.css" />
  </head>
  <body>
    <h1>Three rivers</h1>
    <ul>
${rivers.map(({ name, length_km, from, to }) => `      <li><b>${name}</b>, ${length_km} km, from the ${from} to the ${to}</li>`).join('\n')}
    </ul>
    <p>Written by a simulated agent.</p>
  </body>
</html>
`

const style = `body {
  max-width: 40rem;
  margin: 3rem auto;
  font: 1.1rem/1.6 Georgia, serif;
}
li {
  margin: 0.5rem 0;
}
`

export const demoScenario: Scenario = {
  name: 'demo',
  attempts: [
    [
      { say: 'I am a simulated agent: no model is asked, and what I write was written beforehand.' },
      { log: 'Reading the brief: a page, its style sheet, and the facts' },
      { wait: { ms: 1_500 } },
      { log: 'Collecting facts about the Danube, the Loire and the Tagus' },
      { wait: { ms: 1_500 } },
      { write: { path: 'rivers.json', text: `${JSON.stringify(rivers, null, 2)}\n` } },
      { log: 'Wrote rivers.json: three rivers' },
      { usage: { input_tokens: 1_850, output_tokens: 240 } },
      { wait: { ms: 1_500 } },
      { write: { path: 'index.html', text: page } },
      { log: 'Wrote index.html' },
      { usage: { input_tokens: 2_300, output_tokens: 410 } },
      { wait: { ms: 1_500 } },
      { log: 'That should be all' },
      {
        report: {
          status: 'done',
          summary: 'The field guide is finished: a page with its style, and the facts in rivers.json.',
          outputs: ['index.html', 'rivers.json'],
          via: 'http',
        },
      },
    ],
    [
      { say: 'I am a simulated agent. My predecessor forgot something.' },
      { log: 'Reading what failed: the page asks for style.css, which is not there' },
      { wait: { ms: 2_000 } },
      { write: { path: 'style.css', text: style } },
      { log: 'Wrote style.css' },
      { usage: { input_tokens: 2_100, output_tokens: 130 } },
      { wait: { ms: 1_500 } },
      { log: 'Looking again: the page finds its style sheet' },
      { wait: { ms: 1_500 } },
      { write: { path: 'index.html', text: page } },
      { write: { path: 'rivers.json', text: `${JSON.stringify(rivers, null, 2)}\n` } },
      {
        report: {
          status: 'done',
          summary: 'Added the missing style.css; page and facts are complete.',
          outputs: ['index.html', 'style.css', 'rivers.json'],
          via: 'http',
        },
      },
    ],
  ],
}
