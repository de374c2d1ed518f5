import { stringify } from 'yaml'

/** As a person reads it and a pipe parses it: no line is folded, nothing stands for something elsewhere. */
export const yamlText = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
