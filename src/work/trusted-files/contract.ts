import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { trustedFileEndpoints } from './endpoints.ts'

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits' })
  .describe('SHA-256 of the whole file')

const FileName = z.string().min(1).max(4_096).describe('The path of the file, by which a later version is compared')

export const FileKind = z.enum(['plan', 'team'])
export type FileKind = z.infer<typeof FileKind>

/** The fields of a request with a plan or a team; the files themselves cannot contain them. */
export const trustFields = {
  trust: z.array(Hash).max(2).optional().describe('The operator trusts these files and what they start'),
  fileNames: z
    .strictObject({ plan: FileName.optional(), team: FileName.optional() })
    .optional()
    .describe('The paths of the files'),
}

/** Something that a file makes Agency start, that it makes an agent do, or that it opens to agents. */
export const FileStart = z.object({
  text: z.string().describe('The whole command, program or step'),
  where: z.string().describe('The place in the file'),
  count: z.number().int().describe('The number of places with the same text'),
  added: z.boolean().optional().describe('The version of this path that was trusted last did not start it there'),
})
export type FileStart = z.infer<typeof FileStart>

export const FileReview = z.object({
  kind: FileKind,
  hash: Hash,
  name: z.string().nullable(),
  trusted: z.boolean(),
  starts: z.array(FileStart).describe('Everything that it starts; a file that starts nothing needs no trust'),
  difference: z
    .array(z.string())
    .nullable()
    .describe('The lines that differ from the version of this path that was trusted last; null: there is none'),
})
export type FileReview = z.infer<typeof FileReview>

/** A file whose commands the operator has read and trusts: exactly this text. */
export const TrustedFile = z.object({
  hash: Hash,
  kind: FileKind,
  name: z.string().nullable(),
  text: z.string().nullable().describe('For comparison with a later version; null: it is too large'),
  trustedBy: z.string(),
  trustedAt: z.string(),
})
export type TrustedFile = z.infer<typeof TrustedFile>

const TrustedFileLine = TrustedFile.omit({ text: true })
export type TrustedFileLine = z.infer<typeof TrustedFileLine>

const text = z.string().min(1).max(8_000_000).describe('The whole file')

export const trustedFileOperations = {
  list: operation({
    name: 'trusted_file.list',
    summary: 'List the plans and team files that are trusted, newest first',
    ...trustedFileEndpoints.list,
    input: z.strictObject({}),
    output: z.object({ files: z.array(TrustedFileLine) }),
    allow: ['operator'],
  }),
  review: operation({
    name: 'trusted_file.review',
    summary: 'List everything that a plan or a team file starts; trusts nothing',
    ...trustedFileEndpoints.review,
    input: z.strictObject({ text, name: FileName.optional() }),
    output: FileReview,
    allow: ['operator'],
  }),
  trust: operation({
    name: 'trusted_file.trust',
    summary: 'Trust a plan or a team file, so that runs may start what it names',
    ...trustedFileEndpoints.trust,
    input: z.strictObject({ text, hash: Hash.describe('Of the file that was reviewed'), name: FileName.optional() }),
    output: FileReview,
    allow: ['operator'],
  }),
  revoke: operation({
    name: 'trusted_file.revoke',
    summary: 'Trust a file no longer; runs that it has started go on',
    ...trustedFileEndpoints.revoke,
    input: z.strictObject({ hash: Hash.optional(), name: FileName.optional() }),
    output: z.object({ files: z.array(TrustedFileLine) }),
    allow: ['operator'],
  }),
}
