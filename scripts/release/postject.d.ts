/** postject brings no types of its own. */
declare module "postject" {
  /** Puts a resource into an executable file, in place. */
  export function inject(
    file: string,
    resource: string,
    data: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
