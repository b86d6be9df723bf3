//! Requests that are refused, and what their clients are answered.

use super::*;

fn header(headers: &HeaderMap, name: &str) -> String {
    headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

#[test]
fn refuses_with_503_and_what_would_fit() {
    let _alone = alone();
    let (work, timeout) = (ms(100_000), ms(60_000));
    let layer = layer(Costs::new(work, 1, 2).unwrap(), WithoutDeadline::Within(ms(1)));
    let mut service = layer.layer(Obedient);
    let mut answer =
        |timeout: &str| runtime().block_on(call(&mut service, request("/fails", Some(timeout))));
    let response = answer("60S").unwrap();
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    let error = response.extensions().get::<RequestError>().unwrap();
    let (idle, earliest) = (error.idle().unwrap(), error.earliest().unwrap());
    // Nothing else was admitted: what one has lost until the analysis, the other has gained.
    assert!(idle <= timeout && earliest >= work, "{idle} {earliest}");
    assert_eq!(idle + earliest, timeout + work);
    assert!(error.to_string().starts_with("refused, no-room: "), "{error}");
    let headers = response.headers();
    let up = |unit: u64| earliest.as_nanos().div_ceil(unit);
    assert_eq!(header(headers, "windfall-refused"), "no-room");
    assert_eq!(header(headers, "windfall-idle"), format!("{}u", idle.as_nanos() / 1_000));
    assert_eq!(header(headers, "windfall-earliest"), format!("{}m", up(1_000_000)));
    assert_eq!(header(headers, "retry-after"), up(1_000_000_000).to_string());
    // A second more, in case that the analysis is later than the first was.
    assert!(answer(&format!("{}m", up(1_000_000) + 1_000)).is_err(), "it is admitted, and fails");
    let counts = layer.counts();
    assert_eq!((counts.refused.no_room, counts.failed, counts.submitted), (1, 1, 2), "{counts:?}");
}

#[test]
fn refuses_in_the_form_of_grpc() {
    let _alone = alone();
    let layer = layer(Costs::new(ms(100_000), 1, 2).unwrap(), WithoutDeadline::Within(ms(60_000)));
    let mut service = layer.layer(Obedient);
    let mut answer = |path: &str, timeout: Option<&str>, kind: &'static str| {
        let mut request = request(path, timeout);
        request.headers_mut().insert("content-type", http::HeaderValue::from_static(kind));
        runtime().block_on(call(&mut service, request)).unwrap()
    };
    let cases = [
        ("/short", Some("60S"), "8", "no-room"),
        ("/short", None, "8", "no-room"),
        ("/short", Some("0n"), "4", "deadline-passed"),
        ("/short", Some("99999999H"), "8", "beyond-horizon"),
        ("/short", Some("soon"), "13", "malformed-timeout"),
    ];
    for (path, timeout, status, reason) in cases {
        for kind in ["application/grpc", "application/grpc+proto"] {
            let response = answer(path, timeout, kind);
            let headers = response.headers();
            assert_eq!(response.status(), StatusCode::OK, "{timeout:?}");
            assert_eq!(header(headers, "content-type"), "application/grpc");
            assert_eq!(header(headers, "grpc-status"), status, "{timeout:?}");
            assert_eq!(header(headers, "windfall-refused"), reason, "{timeout:?}");
            assert!(!header(headers, "grpc-message").is_empty(), "{timeout:?}");
        }
    }
    let panicked = answer("/panics", Some("200S"), "application/grpc");
    assert_eq!(header(panicked.headers(), "grpc-status"), "13");
    assert_eq!(header(panicked.headers(), "windfall-ended"), "panicked");
    // Another protocol that begins with the same letters.
    assert_eq!(answer("/short", Some("soon"), "application/grpc-web").status(), 400);
}

#[test]
fn law_of_two_deadlines_the_earlier_counts() {
    let _alone = alone();
    let layer = layer(Costs::new(ms(300), 1, 2).unwrap(), WithoutDeadline::Pass);
    let mut service = layer.layer(Obedient);
    let mut with = |timeout: Option<&str>, own: u32| {
        let mut request = request("/fails", timeout);
        request.extensions_mut().insert(Deadline(Pool::now() + ms(own)));
        seen(runtime().block_on(call(&mut service, request)))
    };
    assert_eq!(with(Some("9S"), 100), Seen::Refused);
    assert_eq!(with(Some("100m"), 9_000), Seen::Refused);
    assert_eq!(with(None, 100), Seen::Refused);
    assert_eq!(with(Some("9S"), 9_000), Seen::Failed);
    assert_eq!(with(None, 9_000), Seen::Failed);
    assert_eq!(layer.counts().passed, 0);
}
