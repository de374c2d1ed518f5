import { tieredView } from '../playbooks/tiered/cli/view.ts'
import type { PlaybookView } from '../work/runs/cli/playbook-view.ts'

/** The command line shows runs of these playbooks in their own way. */
const known: Readonly<Record<string, PlaybookView>> = { tiered: tieredView }

export const viewOf = ({ playbook }: { readonly playbook: string }): PlaybookView | undefined =>
  Object.hasOwn(known, playbook) ? known[playbook] : undefined
