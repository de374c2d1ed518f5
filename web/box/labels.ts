import type { Run } from '../../src/work/runs/contract.ts'

/** The daemon reports its kind of box first, then the reason for a lack of one. */
export const hasNoBox = (box: string): boolean => /^(none|off|audit)/i.test(box)

/** `none: bwrap is not installed` → `bwrap is not installed` */
export const noBoxReason = (box: string): string => box.replace(/^[a-z -]+:\s*/i, '').replace(/\.$/, '')

export const modeLabels: Record<Run['configuration']['mode'], { name: string; text: string }> = {
  yolo: { name: 'yolo', text: 'Agents may do everything inside their box' },
  cautious: { name: 'cautious', text: 'Agents ask before actions that cannot be undone' },
  plan_only: { name: 'plan only', text: 'Agents read, and change nothing' },
}
