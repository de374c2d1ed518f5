import { bold, plain, statusText } from '../../../cli/terminal.ts'
import type { Inspection } from '../../../work/runs/cli/inspection.ts'
import { list, named, type Screen, verdictStates } from '../../../work/runs/cli/views.ts'

/** The verdict of a squad's lead on all tasks of the squad. */
export interface JointVerdict {
  of: string
  joint_verdict: string
  failed_scopes: readonly string[]
  summary: string
}

export const jointVerdicts = ({ documents }: Inspection): JointVerdict[] =>
  Object.entries(documents)
    .filter(([name]) => name.startsWith('joint_verdict/'))
    .map(([name, content]) => ({ ...(content as JointVerdict), of: name.slice('joint_verdict/'.length) }))

export const jointLines = (
  screen: Screen,
  { of, joint_verdict: verdict, failed_scopes: failed, summary }: JointVerdict,
) => [
  [bold(screen, plain(of)), 'joint verdict', statusText(screen, verdict, verdictStates[verdict])].join('  '),
  ...list('Failed', failed),
  ...named('Summary', summary),
]
