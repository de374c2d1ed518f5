import type { Block, Content, Item, Section } from './content.ts'

/** Renders a report as Markdown in which every foreign text stands as it is: no link, markup or mention of an agent works. */
export const markdownOf = ({ title, labels, sections }: Content): string =>
  `${[`# ${word(title)}`, labels.join(' · '), ...sections.map(sectionOf)].join('\n\n')}\n`

const sectionOf = ({ title, blocks }: Section): string =>
  [`## ${title}`, ...blocks.map(blockOf).filter((text) => text !== '')].join('\n\n')

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return word(block.text)
    case 'quote':
      return [
        ...block.text.split('\n').map((line) => `> ${word(line)}`),
        ...(block.by === null ? [] : ['>', `> – ${word(block.by)}`]),
      ].join('\n')
    case 'heading':
      return `### ${word(block.text)}`
    case 'items':
      return block.items.map(itemOf).join('\n')
    case 'table':
      return [
        row(block.head),
        row(block.head.map(() => '---')),
        ...block.rows.map((cells) => row(cells.map(word))),
      ].join('\n')
    case 'code':
      return `### ${word(block.title)}\n\n${fenced(block.text)}`
  }
}

const signs = { good: '✓ ', bad: '✗ ', waiting: '⏸ ', none: '' } as const

const itemOf = ({ sign, text, facts = [], code }: Item): string =>
  [
    `- ${signs[sign]}${word(text)}${facts.length === 0 ? '' : ` (${facts.map(word).join(', ')})`}`,
    ...(code === undefined ? [] : [fenced(code).replaceAll(/^/gm, '  ')]),
  ].join('\n')

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** Escapes all punctuation that Markdown could read, and puts the text on one line. */
const word = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/[\\`*_[\]!|<>~@&]/g, '\\$&')
    // A list, a heading, or an address that a reader would turn into a link.
    .replace(/^(\s*)([#+=-])/, '$1\\$2')
    .replace(/^(\s*\d+)([.)])/, '$1\\$2')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')

/** Fences a text with more backticks than it has in a row. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length)) + 1)
  return `${fence}\n${text}\n${fence}`
}
