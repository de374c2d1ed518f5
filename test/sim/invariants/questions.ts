import type { Row } from '../history.ts'
import type { World } from '../world.ts'

/** Checks after a commit that no two open questions have the same cause. */
export function inspectQuestions({ history }: World): void {
  history.inspect((_, seen) => {
    const causes = new Map<string, Row>()
    for (const question of seen.rows('questions').values()) {
      const cause = question['answered_at'] === null ? causeOf(question) : null
      if (cause === null) continue
      const other = causes.get(cause)
      if (other !== undefined)
        seen.fail('one question per cause', `${other['id']} and ${question['id']} are both about ${cause}`)
      causes.set(cause, question)
    }
  })
}

/** Returns null for a question about a note; an agent may ask several, each with another text. */
function causeOf(question: Row): string | null {
  if (question['class'] === 'budget') return String(question['asked_by'])
  if (question['brief_id'] === null || question['note_id'] !== null || question['class'] === null) return null
  const text = question['attempt_id'] === null ? '' : ` "${question['text']}"`
  return `${question['class']}${text} of ${question['brief_id']}`
}
