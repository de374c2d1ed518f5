import { argument, command } from '../../declare.ts'
import { json } from '../options.ts'
import { reference } from '../values.ts'

export const jobsRetryCommand = command({
  name: 'retry',
  summary: 'Try a job again that was given up',
  examples: ['agency jobs retry job_7k2'],
  arguments: [argument('<job>', 'Job id', { parse: reference })],
  options: [json],
})
