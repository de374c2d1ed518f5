const totalWith = (condition: string): string => `#!/bin/sh
# Prints the sum of the prices in prices.txt.
sum=0
while ${condition}; do
  sum=$((sum + price))
done <prices.txt
echo "$sum"
`

/** The files of the demonstration “liar”: the scenario writes the one, the repository begins with the others. */
export const liarTotal = totalWith('read -r _ price')
export const liarMended = totalWith('read -r _ price || [ -n "$price" ]')
export const liarTest = `#!/bin/sh
total=$(sh total.sh)
[ "$total" = 12 ] && exit 0
echo "bread 3, milk 2, cheese 7: expected 12, got $total"
exit 1
`
