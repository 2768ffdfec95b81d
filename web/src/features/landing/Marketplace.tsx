import { sellerShare, sellerTerms } from '../../content/claims.ts'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'

/** Selling, and what is left of a sale. */
export function Marketplace() {
  return (
    <div id="marketplace" className="grid border-t border-line lg:grid-cols-12">
      <div className="flex flex-col items-start gap-6 px-5 py-14 md:px-8 md:py-20 lg:col-span-7">
        <div>
          <h2 className="text-28 font-semibold">Built something others need? Sell it.</h2>
          <p className="mt-3 max-w-[56ch] text-muted">
            Publish automation templates on a storefront of your own. Buyers browse and buy without registering. {sellerTerms}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <ButtonLink to={paths.sellerPortal} size="public">
            Start as a seller
          </ButtonLink>
          <ButtonLink to={paths.buyerPortal} size="public" variant="ghost">
            Start as a buyer
          </ButtonLink>
        </div>
      </div>
      <div className="flex flex-col justify-center gap-3 border-line px-5 pb-14 md:px-8 lg:col-span-5 lg:border-l lg:py-14">
        <p className="flex items-baseline justify-between gap-4 text-14">
          <span className="text-muted">A template sold for</span>
          <span className="tabular">$49.00</span>
        </p>
        <div aria-hidden="true" className="flex gap-1.5">
          <span className="h-9 rounded-full bg-signal" style={{ flexGrow: sellerShare }} />
          <span className="h-9 rounded-full bg-raised hairline" style={{ flexGrow: 100 - sellerShare }} />
        </div>
        <p className="flex items-baseline justify-between gap-4 text-14">
          <span className="font-semibold">
            <span className="tabular">$39.20</span> is yours
          </span>
          <span className="text-muted">
            <span className="tabular">$9.80</span> fee
          </span>
        </p>
      </div>
    </div>
  )
}
