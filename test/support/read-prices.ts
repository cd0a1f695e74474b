import { pricingOf, type Pricing } from '../../src/plan/prices.ts';
import { priceList, type PriceList } from '../../src/scenario/price-options.ts';

/** Compiles prices, for a requested model. */
export function readPricesFor(prices: PriceList, requested = ''): Pricing {
  return pricingOf(priceList.parse(prices), requested);
}
