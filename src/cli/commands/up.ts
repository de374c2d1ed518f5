import { command, flag, value } from '../declare.ts'
import { wholeText } from './values.ts'

export const upCommand = command({
  name: 'up',
  summary: 'Start the daemon and print the address of the dashboard',
  examples: ['agency up', 'agency up --foreground --port 8080'],
  options: [
    flag('--foreground', 'Stay in this terminal; Ctrl-C stops the daemon'),
    flag('--demo', 'Play a simulated tiered run in a small organisation, once'),
    flag('--no-seed', 'Start without any organisation, to import one; has an effect on the first start of a home only'),
    value('--port <number>', 'TCP port; a port in use is an error', { parse: wholeText(0, 65_535) }),
  ],
})
