import { z } from 'zod'

/**
 * The options of a runtime in a file. A text of several lines could be a document inside the document: no thread limits
 * the time to read that one, and a file from a stranger can contain thousands of them.
 */
export const FileOptions = z.record(z.string(), z.unknown()).superRefine((options, context) => {
  for (const [name, value] of Object.entries(options))
    if (typeof value === 'string' && value.includes('\n'))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is a text of several lines; write its content as keys and lists of this file',
      })
})
