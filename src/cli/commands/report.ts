import { command, value } from '../declare.ts'

export const reportCommand = command({
  name: 'report',
  summary: 'Report your result; of work the last report counts, of a verifier the first',
  examples: [
    'agency report --status done --summary "Wrote the haiku" --output poem.txt',
    'agency report --verdict pass --checked "poem.txt=River finds the sea,"',
    'agency report --verdict fail --issue "poem.txt has two lines, the task asks for three"',
    'agency report --file report.json',
  ],
  options: [
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
  check: (_, options) => {
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
