import { command, value } from '../../declare.ts'
import { json } from '../options.ts'

export const notifyTestCommand = command({
  name: 'test',
  summary: 'Send a test message and print which notifiers accepted it; exit 1 when one did not',
  examples: ['agency notify test', 'agency notify test --adapter slack'],
  options: [value('--adapter <name>', 'Test only this notifier of config.yaml'), json],
})
