/** The meaning of a reply in plain words. */
export type Reply =
  | { kind: 'approve'; target: string | null }
  | { kind: 'reject'; target: string | null; reason: string }
  | { kind: 'answer'; questionId: string; answer: string }
  /** `reject` without a reason. */
  | { kind: 'reasonless' }
  /** Possibly the answer to the only open question. */
  | { kind: 'words'; text: string }

export function readReply(text: string): Reply {
  const said = text.trim()
  const approval = /^approved?(?:\s+([\w-]+))?\s*[.!]*$/iu.exec(said)
  if (approval !== null) return { kind: 'approve', target: approval[1] ?? null }
  const rejection = /^reject(?:ed)?(?:\s+([\w-]+))?\s*:\s*(\S[\s\S]*)$/iu.exec(said)
  if (rejection !== null) return { kind: 'reject', target: rejection[1] ?? null, reason: rejection[2] as string }
  if (/^reject(?:ed)?(?:\s+[\w-]+)?\s*[:.!]*$/iu.test(said)) return { kind: 'reasonless' }
  const answer = /^answer\s+([\w-]+)\s*:\s*(\S[\s\S]*)$/iu.exec(said)
  if (answer !== null) return { kind: 'answer', questionId: answer[1] as string, answer: answer[2] as string }
  return { kind: 'words', text: said }
}

interface Choices {
  options: readonly { key: string; label: string }[]
}

/** Returns the key of the chosen option, matched by key, label or position in the list; null: none matches. */
export function chosenOption({ options }: Choices, said: string): string | null {
  const wanted = said
    .trim()
    .toLowerCase()
    .replace(/(?<![.!])[.!]+$/u, '')
  const named = options.find(({ key, label }) => key.toLowerCase() === wanted || label.toLowerCase() === wanted)
  if (named !== undefined) return named.key
  return /^[1-9]\d?$/.test(wanted) ? (options[Number(wanted) - 1]?.key ?? null) : null
}
