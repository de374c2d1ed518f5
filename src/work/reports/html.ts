import { createHash } from 'node:crypto'

import type { Block, Content, Item, Section } from './content.ts'

/** Renders a report as one file without scripts that loads nothing: a browser refuses everything but its own style. */
export const htmlOf = ({ title, labels, sections }: Content): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
<p>${labels.map((label) => `<span class="label">${escape(label)}</span>`).join(' ')}</p>
${sections.map(sectionOf).join('\n')}
</main>
</body>
</html>
`

const sectionOf = ({ title, blocks }: Section): string =>
  `<section>\n<h2>${escape(title)}</h2>\n${blocks.map(blockOf).join('\n')}\n</section>`

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return `<p>${escape(block.text)}</p>`
    case 'quote':
      return `<blockquote><p>${escape(block.text)}</p>${block.by === null ? '' : `<p class="by">${escape(block.by)}</p>`}</blockquote>`
    case 'heading':
      return `<h3>${escape(block.text)}</h3>`
    case 'items':
      return block.items.length === 0 ? '' : `<ul>${block.items.map(itemOf).join('\n')}</ul>`
    case 'table':
      return `<div class="wide"><table><thead><tr>${cells('th', block.head)}</tr></thead><tbody>${block.rows
        .map((row) => `<tr>${cells('td', row)}</tr>`)
        .join('\n')}</tbody></table></div>`
    case 'code':
      return `<h3>${escape(block.title)}</h3><pre>${escape(block.text)}</pre>`
  }
}

/** Fonts show ⏸ as an emoji or not at all. */
const signs = { good: '✓', bad: '✗', waiting: '!', none: '' } as const

const itemOf = ({ sign, text, facts = [], code }: Item): string =>
  `<li class="${sign}">${sign === 'none' ? '' : `<span class="sign">${signs[sign]}</span> `}<span class="words">${escape(text)}</span>${
    facts.length === 0 ? '' : `<p class="by">${facts.map(escape).join(' · ')}</p>`
  }${code === undefined ? '' : `<pre>${escape(code)}</pre>`}</li>`

const cells = (tag: 'th' | 'td', texts: readonly string[]): string =>
  texts.map((text) => `<${tag}>${escape(text)}</${tag}>`).join('')

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

const style = `
:root { --ground: #fff; --text: #16191d; --muted: #555e68; --line: #d6dade; --raised: #f5f6f7; --good: #17663a; --bad: #b0261d; --waiting: #7d5200; }
@media (prefers-color-scheme: dark) { :root { --ground: #15191d; --text: #e4e8eb; --muted: #9aa5af; --line: #2c343b; --raised: #0f1215; --good: #62c98a; --bad: #f58a80; --waiting: #e3ad4a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 22px; line-height: 1.3; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 32px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
h3 { font-size: 14px; margin: 20px 0 4px; overflow-wrap: anywhere; }
p { margin: 4px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--line); }
ul { margin: 4px 0; padding: 0; list-style: none; }
li { padding: 4px 0; overflow-wrap: anywhere; }
.words { white-space: pre-wrap; }
.by { color: var(--muted); font-size: 13px; }
.label { padding: 1px 6px; border: 1px solid var(--line); border-radius: 4px; font-size: 13px; }
.good .sign { color: var(--good); } .bad .sign { color: var(--bad); } .waiting .sign { color: var(--waiting); }
pre { margin: 4px 0; padding: 8px; background: var(--raised); border: 1px solid var(--line); border-radius: 4px; font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th, td { padding: 4px 8px 4px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word; }
@media print { :root { --ground: #fff; --text: #000; --muted: #444; --line: #bbb; --raised: #fff; --good: #17663a; --bad: #b0261d; --waiting: #7d5200; } main { max-width: none; padding: 0; } li, tr, h2, h3 { break-inside: avoid; } }
`
const styleHash = createHash('sha256').update(style).digest('base64')
