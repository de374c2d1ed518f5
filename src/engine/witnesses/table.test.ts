import { describe, expect, it } from 'vitest'

import { witnessAt } from './table.ts'

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

describe('tests', () => {
  it.each([
    ['Perl', 't/cart.t t/lib/Helper.pm xt/author.t lib/Shop/cart.t'],
    ['Go', 'cart/cart_test.go testdata/cart.json'],
    ['Rust', 'tests/cart.rs crates/cart/tests/all.rs src/tests.rs'],
    ['Java', 'src/test/java/shop/Cart.java src/CartTest.java src/CartIT.java src/TestCart.java src/CartTestCase.java'],
    ['Gradle', 'src/androidTest/Cart.kt src/integrationTest/Cart.kt src/testFixtures/Cart.kt app/src/commonTest/A.kt'],
    ['Scala', 'src/CartSpec.scala'],
    ['.NET', 'Shop.Tests/Cart.cs Shop.UnitTests/Cart.fs src/Shop.Test/Cart.cs src/CartTests.cs'],
    ['Ruby', 'spec/cart_spec.rb lib/cart_spec.rb test_cart.rb features/step_definitions/cart.rb features/cart.feature'],
    ['PHP', 'Tests/CartTest.php src/CartTest.php tests/cart.phpt'],
    ['Swift', 'Tests/ShopTests/Cart.swift ShopTests/Cart.swift ShopUITests/Cart.swift Sources/CartTests.swift'],
    ['Objective-C', 'Shop/CartTests.m'],
    ['Elixir', 'lib/cart_test.exs'],
    ['Haskell', 'src/CartSpec.hs'],
    ['C and C++', 'src/test_cart.c src/cart_test.cc src/CartTest.cpp unittests/cart.cpp'],
    ['R and Julia', 'tests/testthat/test-cart.R test_cart.jl'],
    ['shell', 'cart.bats checks/cart bin/cart_test.sh'],
    ['JavaScript', '__tests__/a.js src/__tests__/a.js src/a.cy.ts src/a.e2e.ts a-e2e-spec.ts test-a.mjs __test__/a.js'],
    ['Python', 'test_cart.py cart_test.py tests_cart.py'],
    ['any language', 'Test/a Tests/a TESTS/a Spec/a Specs/a integration-tests/a unit_test/a api/functional-tests/a.x'],
  ])('of %s are recognised by their paths', (_, paths) => {
    expect(words(paths).filter((path) => witnessAt(path)?.kind !== 'tests')).toEqual([])
  })

  it('are never odd if they are new', () => {
    expect(witnessAt('t/cart.t')?.whenNew).toBe('fine')
    expect(witnessAt('Shop.Tests/Cart.cs')?.whenNew).toBe('fine')
  })

  it('are no other files with such letters in their names', () => {
    const paths = `src/latest/x.ts contest.py src/Contest.java src/Latest.cs greatest/a.js attests/a.js src/protest.rb
      src/inspect.ts src/aspect/a.ts lib/special.pm src/t/index.ts src/text.t.ts test-cart src/ab-test/assign.ts
      src/Tester/a.ts src/testimonials/a.tsx src/testimony.py src/TestPanel.tsx docs/spec/cart.md Tests/README.md
      src/specification.ts src/exit.java src/Unit.java src/Digit.kt tea/a.pl respect/a.go api/contests/a.py`
    expect(words(paths).filter((path) => witnessAt(path) !== null)).toEqual([])
  })
})
