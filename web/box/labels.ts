import type { Run } from '../../src/work/runs/contract.ts'

/** The daemon says first what it has, then why not more. */
export const hasNoBox = (box: string): boolean => /^(none|off|audit)/i.test(box)

/** `none: bwrap is not installed` → `bwrap is not installed` */
export const noBoxReason = (box: string): string => box.replace(/^[a-z -]+:\s*/i, '').replace(/\.$/, '')

export const modeLabels: Record<Run['configuration']['mode'], { name: string; text: string }> = {
  yolo: { name: 'yolo', text: 'Its agents may do everything inside their box' },
  cautious: { name: 'cautious', text: 'What cannot be taken back is asked first' },
  plan_only: { name: 'plan only', text: 'Its agents look, and change nothing' },
}
