import { z } from 'zod'

/** Names that people and agents use, validated in one place for all org operations. */
export const OrgReference = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe('Number, slug, or name where only one organisation has it; case does not matter')
/** The filter of lists: the number of an organisation. */
export const OfOrganisation = z.coerce.number().int().positive().optional().describe('Only those of this organisation')
export const PersonaReference = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe('Slug, or name where only one persona has it')

/** Excludes characters that would break a line, a path or a terminal. */
const printable = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u
const Printable = (max: number) =>
  z.string().trim().min(1).max(max).regex(printable, { error: 'must not contain control characters' })

export const OrgName = Printable(100)
export const Purpose = Printable(64)
export const RoleName = Printable(64)
export const PersonaName = Printable(100)
export const Title = Printable(200)
export const Level = z.number().int().min(1).max(100)
export const Preview = z.boolean().default(false).describe('Only show the changes')

/** Warnings beside an answer, such as that a change was outside governance; absent where there are none. */
export const Warnings = z.array(z.string()).optional()
