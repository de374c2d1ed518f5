/** A contract's type as JSON carries it: the same shape with snake_case names. Types only; nothing is loaded. */
export type Wire<T> = T extends readonly (infer Item)[]
  ? Wire<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [Key in keyof T as Key extends string ? Snake<Key> : Key]: Wire<T[Key]> }
    : T

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : ''
