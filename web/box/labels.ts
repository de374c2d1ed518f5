import type { Run } from '../../src/work/runs/contract.ts'

/** The daemon says first what it has, then why not more. */
export const hasNoBox = (box: string): boolean => /^(none|off|audit)/i.test(box)

/** `none: bwrap is not installed` → `bwrap is not installed` */
export const whyNoBox = (box: string): string => box.replace(/^[a-z -]+:\s*/i, '').replace(/\.$/, '')

export const modeWords: Record<Run['configuration']['mode'], { name: string; says: string }> = {
  yolo: { name: 'yolo', says: 'Its agents may do everything inside their box' },
  cautious: { name: 'cautious', says: 'What cannot be taken back is asked first' },
  plan_only: { name: 'plan only', says: 'Its agents look, and change nothing' },
}
