import { argument, command, flag, optionalValue, value } from '../declare.ts'
import { json } from './options.ts'
import { reference } from './values.ts'

export const reportCommand = command({
  name: 'report',
  summary:
    'Make a report of a run; or, as an agent, report your result: of work the last counts, of a verifier the first',
  examples: [
    'agency report run_7k2',
    'agency report run_7k2 --html report.html',
    'agency report --status done --summary "Wrote the haiku" --output poem.txt',
    'agency report --verdict pass --checked "poem.txt=River finds the sea,"',
    'agency report --verdict fail --issue "poem.txt has two lines, the task asks for three"',
    'agency report --file report.json',
  ],
  arguments: [argument('[run]', 'The run to make a report of: id, or its beginning', { parse: reference })],
  options: [
    optionalValue('--html [file]', 'One HTML file that loads nothing (<run>.html; - prints it); default: Markdown'),
    flag('--force', 'Replace the HTML file if it exists'),
    json,
    value('--status <status>', 'Result; done, if a verdict is given', { choices: ['done', 'partial', 'blocked'] }),
    value('--summary <text>', 'Summary of your work, or of the obstacle'),
    value('--output <path...>', 'Files you produced, inside the workspace'),
    value('--remaining <text>', 'With partial: the work that remains'),
    value('--verdict <verdict>', 'As a verifier: your verdict', { choices: ['pass', 'partial', 'fail'] }),
    value('--checked <item...>', 'A file you opened, as path=<a whole line of it> or path=<its SHA-256>; or any text'),
    value('--issue <text...>', 'With fail or partial: what is wrong'),
    value('--missing <text...>', 'With fail or partial: evidence that is missing'),
    value('--notes <text>', 'Remarks on the verdict'),
    value('--file <file>', 'The whole report as JSON, instead of the other options; - for standard input'),
  ],
  check: ([run], { html, force, json: asJson, ...options }) => {
    const given = Object.keys(options).length > 0
    if (run !== undefined || html !== undefined)
      return given ? 'a report of a run takes --html, --force and --json only' : undefined
    if (force === true || asJson === true) return 'name the run to make a report of, or add --html'
    if (!given) return 'name a run to make a report of; as an agent, add --status, --verdict or --file'
    if (options.file !== undefined)
      return Object.keys(options).length > 1 ? '--file takes the whole report: give no other option' : undefined
    if (options.verdict === undefined) {
      if (options.status === undefined) return 'add --status, --verdict or --file'
      if (options.summary === undefined) return 'add --summary'
      const own = (['checked', 'issue', 'missing', 'notes'] as const).find((name) => options[name] !== undefined)
      return own === undefined ? undefined : `--${own} belongs to a verdict: add --verdict`
    }
    return undefined
  },
})
