import { tieredView } from '../playbooks/tiered/cli/view.ts'
import type { PlaybookView } from '../work/runs/cli/playbook-view.ts'

/** By name: the playbooks whose runs the command line shows in a way of their own. */
const known: Readonly<Record<string, PlaybookView>> = { tiered: tieredView }

export const viewOf = ({ playbook }: { readonly playbook: string }): PlaybookView | undefined =>
  Object.hasOwn(known, playbook) ? known[playbook] : undefined
