import { z } from 'zod'

export const providerKinds = ['anthropic', 'openai', 'openai-compatible', 'ollama'] as const
export const ProviderKind = z.enum(providerKinds)
export type ProviderKind = z.infer<typeof ProviderKind>

const BaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(4_000)
  // The address is shown, so a key in it would be shown too.
  .refine((url) => new URL(url).username === '' && new URL(url).password === '', {
    error: 'must not contain a name or a password: set the key with api_key_env',
  })

const Provider = z
  .strictObject({
    kind: ProviderKind,
    baseUrl: BaseUrl.nullable().default(null),
    apiKeyEnv: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'is not the name of a variable' })
      .nullable()
      .optional(),
  })
  .refine(({ kind, baseUrl }) => kind !== 'openai-compatible' || baseUrl !== null, {
    error: 'base_url is missing: an openai-compatible server has no default address',
  })
export type ProviderSettings = z.infer<typeof Provider>

/** The providers in the configuration of an installation. Models are named when a run is started. */
export const LlmSettings = z.strictObject({
  providers: z
    .record(
      z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, { error: 'must be lower case letters, digits, - and _' }),
      Provider,
    )
    .default({}),
})
export type LlmSettings = z.infer<typeof LlmSettings>
