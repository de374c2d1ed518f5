import type { Tone } from '../../src/kernel/event-tone.ts'

export type { Tone }

export interface State {
  tone: Tone
  /** One line in the present tense. */
  text: string
}

/** The sign before the text of a state. It is drawn, because fonts show ⏸ as an emoji or not at all. */
export function Sign({ tone }: { tone: Tone }) {
  return (
    <svg
      className={`sign tone-${tone}`}
      viewBox="0 0 12 12"
      width="12"
      height="12"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[tone]} />
    </svg>
  )
}

export function StateLabel({ state }: { state: State }) {
  return (
    <span className={`stated tone-${state.tone}`}>
      <Sign tone={state.tone} />
      {state.text}
    </span>
  )
}

const shapes: Record<Tone, string> = {
  waiting: 'M4 2.5v7M8 2.5v7',
  working: 'M10.2 6a4.2 4.2 0 1 1-1.3-3M10.4 1v2.6H7.8',
  good: 'M2 6.6 4.7 9.4 10 2.8',
  bad: 'M2.8 2.8l6.4 6.4M9.2 2.8 2.8 9.2',
  idle: 'M6 6h.01',
  off: 'M3 6h6',
}
