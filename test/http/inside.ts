/** What no error may show a client: a stack, a path of the machine, SQL. */
export const INSIDE = /\bat \S+ \(|node_modules|\.ts\b|\/(home|work|tmp|var|usr)\/|sqlite|SELECT |INSERT /i;
