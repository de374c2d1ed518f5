import { z } from 'zod'

export const Organisation = z.object({
  id: z.number().int(),
  name: z.string(),
  purpose: z.string(),
  slug: z.string(),
  description: z.string(),
  status: z.enum(['active', 'dormant', 'archived']),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Organisation = z.infer<typeof Organisation>

export const Role = z.object({ id: z.number().int(), name: z.string(), description: z.string() })
export type Role = z.infer<typeof Role>

export const Persona = z.object({
  id: z.number().int(),
  name: z.string(),
  slug: z.string(),
  roleId: z.number().int(),
  personaTypeId: z
    .number()
    .int()
    .min(1)
    .max(4)
    .describe('1 agent/internal, 2 agent/external, 3 person/internal, 4 person/external'),
  status: z.enum(['active', 'archived']),
  canCreateChannel: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Persona = z.infer<typeof Persona>
