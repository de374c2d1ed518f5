import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { reportCommand } from '../../cli/commands/report.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler, OptionsFor } from '../../cli/declare.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import { sendReport } from '../attempts/cli.ts'
import { namedOrNewest } from '../runs/cli/newest.ts'
import type { Report } from './contract.ts'
import { reportEndpoints } from './endpoints.ts'

/** Prints a report of a run as Markdown, or writes it as one HTML file. Without a run it is the report of an agent. */
export const report: Handler<typeof reportCommand> = async (context, run, options) =>
  run === undefined && options.html === undefined ? sendReport(context, options) : makeReport(context, run, options)

async function makeReport(
  context: CliContext,
  run: string | undefined,
  { html, force, json }: OptionsFor<typeof reportCommand>,
): Promise<number> {
  const run_id = await namedOrNewest(context, run)
  const made = await context.api().call<Wire<Report>>(reportEndpoints.make, {
    run_id,
    format: html === undefined ? 'markdown' : 'html',
  })
  if (json) context.json(made)
  else if (html === undefined || html === '-') context.text(made.text)
  else context.out(`✓ ${write(html === true ? made.file_name : html, made.text, force === true)}`)
  return 0
}

function write(name: string, text: string, replaces: boolean): string {
  const path = resolve(name)
  try {
    writeFileSync(path, text, { flag: replaces ? 'w' : 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw refusal('conflict', `"${path}" exists already`, { hint: 'Name another file, or replace it with --force.' })
    throw refusal('invalid_input', `the report could not be written: ${message}`)
  }
  return path
}
